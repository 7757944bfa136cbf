package suites

import (
	"cmp"
	"time"

	"github.com/adconform/adconform/suites/wire"
)

// The deadlines that follow from the limits. They are no judgement: a target may
// be as slow as limits.timeout lets it be, these only let a run end.
const (
	casePerRequest   = 30               // deadlines of a request that one case may wait for answers
	restoreTime      = 30 * time.Second // for putting back what was changed
	leastRestoreTime = 5 * time.Second  // of that
	restoreWrites    = 20               // requests, for which the rate leaves more time
	runTime          = time.Hour
	runPerCase       = 4 // requests, for which the rate leaves more time
)

// timeout is how long one answer may take.
func (c *Config) timeout() time.Duration {
	return cmp.Or(c.Target.Limits.Timeout, wire.DefaultTimeout)
}

// caseTime is how long one case may wait for answers. Waiting for the rate limit
// does not count.
func (c *Config) caseTime() time.Duration { return casePerRequest * c.timeout() }

// patience is how long a run waits for failures: with an operation that hangs for two
// time-outs, with a target that hangs for three. With what is put back afterwards that
// is less than a minute where the time-out is the usual one.
func (c *Config) patience() wire.Patience {
	return wire.Patience{Operation: 3 * c.timeout() / 2, Target: 5 * c.timeout() / 2}
}

// deadline is when sending stops: as given, else generous for so many cases at
// the rate of the target file.
func (c *Config) deadline(cases int) time.Duration {
	return cmp.Or(c.Deadline, runTime+c.atRate(runPerCase*cases))
}

// restoreTime is how long putting back may take: not as long on a target that is gone.
func (c *Config) restoreTime(gone bool) time.Duration {
	if gone {
		return min(restoreTime, max(3*c.timeout()/2, leastRestoreTime))
	}
	return restoreTime + c.atRate(restoreWrites)
}

// atRate is the time that so many requests take at the rate of the target file.
func (c *Config) atRate(requests int) time.Duration {
	if c.Target.Limits.Rate == 0 {
		return 0
	}
	return time.Duration(float64(requests) / c.Target.Limits.Rate * float64(time.Second))
}
