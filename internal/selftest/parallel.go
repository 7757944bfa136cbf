package selftest

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Map is what do makes of each item, in the order of the items, with as many at a time as
// limit says; 0 is one for each processor. The first error ends it. Tell gets each result as
// it comes, one at a time; it may be nil.
func Map[T, R any](
	ctx context.Context, limit int, items []T, do func(context.Context, T) (R, error), tell func(done, of int, r R),
) ([]R, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	if limit > 0 {
		group.SetLimit(limit)
	}
	results := make([]R, len(items))
	var telling sync.Mutex
	done := 0
	for i, item := range items {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if results[i], err = do(ctx, item); err != nil || tell == nil {
				return err
			}
			telling.Lock()
			defer telling.Unlock()
			done++
			tell(done, len(items), results[i])
			return nil
		})
	}
	return results, group.Wait()
}
