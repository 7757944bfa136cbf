package judge

// Ownership says whether an object under foreign is the stranger's, as far as the stranger's own answer shows it.
type Ownership struct {
	Shown  bool   // the stranger may use the object
	Reason string // why that is not shown
	Cause  Cause  // of the cases that are therefore not tested
}

// NoteOwnership notes what the stranger's answer showed of the object under a key.
func (b *Outcome) NoteOwnership(key string, o Ownership) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ownership[key] = o
}

// Ownership returns what the stranger's answer showed of the object under a key. No case may write to an object that is
// not shown to be the stranger's: the target file may be wrong, and name an object of the owner.
func (b *Outcome) Ownership(key string) Ownership {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, asked := b.ownership[key]
	if !asked {
		return Ownership{Reason: "the stranger was not asked for " + key, Cause: ByOperator}
	}
	return o
}
