package suites

// DefaultWorkers is how many cases run at once where nothing bounds it. More gain
// nothing: what the cases of one object leave to others is used up.
const DefaultWorkers = 8

// workers is how many cases may run at once: as limits.concurrency says, one where
// requests are rationed or the run may end at any time.
func (c *Config) workers() int {
	l := c.Target.Limits
	switch {
	case c.StopEarly:
		return 1
	case l.Concurrency > 0:
		return l.Concurrency
	case l.Rate > 0, l.RemainingHeader != "":
		return 1
	}
	return DefaultWorkers
}
