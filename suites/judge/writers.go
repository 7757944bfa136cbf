package judge

func (m *mode) KeepsAll(fields []string) bool {
	for _, f := range fields {
		if !m.keeps(f) {
			return false
		}
	}
	return true
}
