package selftest

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMapKeepsTheOrderAndTellsEachOnce(t *testing.T) {
	g := NewWithT(t)
	told := 0
	got, err := Map(t.Context(), 3, []int{1, 2, 3, 4, 5},
		func(_ context.Context, n int) (int, error) { return n * n, nil },
		func(done, of, _ int) {
			told++
			g.Expect([]int{done, of}).To(Equal([]int{told, 5}))
		})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal([]int{1, 4, 9, 16, 25}))
	g.Expect(told).To(Equal(5))
}

func TestMapEndsWithTheFirstError(t *testing.T) {
	g := NewWithT(t)
	wrong := errors.New("two")
	tried := 0
	_, err := Map(t.Context(), 1, []int{1, 2, 3}, func(_ context.Context, n int) (int, error) {
		if tried++; n == 2 {
			return 0, wrong
		}
		return n, nil
	}, nil)
	g.Expect(err).To(MatchError(wrong))
	g.Expect(tried).To(Equal(2))
}
