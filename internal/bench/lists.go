package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

var listLengths = []int{1, 100, 10_000}

// itemsEach is how many items are judged in a round, in as many lists as it takes.
const itemsEach = 10_000

// measureLists judges lists of each length. An item's cost is given as a multiple
// of what encoding/json takes to decode it into maps, and of that in a list of 100.
func measureLists(_ context.Context, rounds int) (Figures, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	op := contract.Operation("listCreativeMediaFiles")
	judge := oracle.New(contract)
	header := http.Header{"Content-Type": {"application/json"}}
	into := samples{}
	for range rounds {
		each := map[int]float64{}
		for _, n := range listLengths {
			body, err := list(n)
			if err != nil {
				return nil, err
			}
			decoding, err := spent(itemsEach/n, func() error {
				var v any
				return json.Unmarshal(body, &v)
			})
			if err != nil {
				return nil, err
			}
			judging, err := spent(itemsEach/n, func() error {
				j := judge.Judge(op, oracle.Response{Status: http.StatusOK, Header: header, Body: body, RequestedPage: 1})
				if len(j.Findings) > 0 {
					return fmt.Errorf("a list of %d items is judged to be wrong: %+v", n, j.Findings[0])
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			each[n] = judging.Seconds() / float64(n)
			into.add(fmt.Sprintf("lists/%d/decode", n), judging.Seconds()/decoding.Seconds())
		}
		for _, n := range listLengths {
			into.add(fmt.Sprintf("lists/%d/item", n), each[n]/each[100])
		}
	}
	return into.figures(), nil
}

// list is one page of so many media files.
func list(n int) ([]byte, error) {
	created := time.Date(2024, time.March, 1, 9, 0, 0, 0, time.UTC)
	items := make([]spec.Creative, n)
	for i := range items {
		items[i] = spec.Creative{
			ID: int64(1000 + i), CampaignID: 25, Name: fmt.Sprintf("Spot %d", i), CreatedAt: created, UpdatedAt: created,
			ParentID: new(int64(220)), SourceType: "vast-child-video", SourceTypeLabel: "VAST media file",
			ShareURL:       fmt.Sprintf("https://share.example.com/creatives/%d", i),
			LivePreviewURL: fmt.Sprintf("https://preview.example.com/%d/", i),
			Width:          new(int64(640)), Height: new(int64(360)), UserID: 41, NbVariations: new(int64(2)),
		}
	}
	return json.Marshal(spec.List[spec.Creative]{
		Meta: spec.Meta{Pagination: spec.Pagination{Count: int64(n), TotalCount: int64(n), Page: 1, TotalPages: 1}},
		Data: items,
	})
}
