package suites

import (
	"cmp"
	"time"

	"github.com/adconform/adconform/suites/wire"
)

// The deadlines that follow from the limits. They are no judgement: a target may
// be as slow as limits.timeout lets it be, these only let a run end.
const (
	casePerRequest = 30               // deadlines of a request that one case may wait for answers
	restoreTime    = 30 * time.Second // for putting back what was changed
	restoreWrites  = 20               // requests, for which the rate leaves more time
	runTime        = time.Hour
	runPerCase     = 4 // requests, for which the rate leaves more time
)

// caseTime is how long one case may wait for answers. Waiting for the rate limit
// does not count.
func (c *Config) caseTime() time.Duration {
	return casePerRequest * cmp.Or(c.Target.Limits.Timeout, wire.DefaultTimeout)
}

// deadline is when sending stops: as given, else generous for so many cases at
// the rate of the target file.
func (c *Config) deadline(cases int) time.Duration {
	return cmp.Or(c.Deadline, runTime+c.atRate(runPerCase*cases))
}

func (c *Config) restoreTime() time.Duration { return restoreTime + c.atRate(restoreWrites) }

// atRate is the time that so many requests take at the rate of the target file.
func (c *Config) atRate(requests int) time.Duration {
	if c.Target.Limits.Rate == 0 {
		return 0
	}
	return time.Duration(float64(requests) / c.Target.Limits.Rate * float64(time.Second))
}
