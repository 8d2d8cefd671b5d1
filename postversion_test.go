package crier_test

import (
	"errors"
	"strings"
	"testing"

	"crier"
)

func TestVersionMatchReadsIfMatchHeaders(t *testing.T) {
	t.Parallel()
	const a, b = string(assetA), string(assetB)
	for _, tc := range []struct {
		header, written string
		meets, fails    []crier.ID
	}{
		{header: `*`, written: `*`, meets: []crier.ID{assetA, assetB, ""}},
		{header: " * ", written: `*`, meets: []crier.ID{assetC}},
		{header: `"` + a + `"`, written: `"` + a + `"`, meets: []crier.ID{assetA}, fails: []crier.ID{assetB, ""}},
		{header: `"` + strings.ToUpper(a) + `"`, written: `"` + a + `"`, meets: []crier.ID{assetA}},
		{header: `"` + a + `" ,"` + b + `"`, written: `"` + a + `", "` + b + `"`, meets: []crier.ID{assetA, assetB},
			fails: []crier.ID{assetC}},
	} {
		var m crier.VersionMatch
		if err := m.UnmarshalText([]byte(tc.header)); err != nil || m.String() != tc.written {
			t.Errorf("%s is read as %s, %v", tc.header, m, err)
		}
		for _, id := range tc.meets {
			if err := m.Check(id); err != nil {
				t.Errorf("%s does not let %s through: %v", tc.header, id, err)
			}
		}
		for _, id := range tc.fails {
			if err := m.Check(id); !crier.IsKind(err, crier.KindPreconditionFailed) {
				t.Errorf("%s lets %s through: %v", tc.header, id, err)
			}
		}
	}
}

func TestVersionMatchRefusesWhatIsNoVersion(t *testing.T) {
	t.Parallel()
	const a = string(assetA)
	for header, named := range map[string]string{
		``: `""`, `"`: `"\""`, `""`: `"\"\""`, a: `"` + a + `"`, `"` + a: `"\"` + a + `"`, a + `"`: `"` + a + `\""`,
		`W/"` + a + `"`: `"W/\"` + a + `\""`, `"` + a + `",`: `""`, `*,"` + a + `"`: `"*"`, `"1"`: `"\"1\""`,
		`"` + strings.Repeat("x", 200) + `"`: `"\"` + strings.Repeat("x", 59) + `"`,
	} {
		var m crier.VersionMatch
		err := m.UnmarshalText([]byte(header))
		if want := "must be a contentPayloadId in double quotes, got " + named; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", header, err, want)
		}
	}
}

func TestVersionMatchOfNothingIsNoCondition(t *testing.T) {
	t.Parallel()
	var none crier.VersionMatch
	if err := none.Check(assetA); err != nil || none.String() != "" {
		t.Errorf("the zero value is %q and says %v", none, err)
	}
	one := crier.MatchVersion(assetA)
	if err := one.Check(assetA); err != nil || one.String() != `"`+string(assetA)+`"` {
		t.Errorf("one version is %s and says %v", one, err)
	}
	err := one.Check(assetB)
	var failed *crier.Error
	if !errors.As(err, &failed) || failed.ContentPayloadID == nil || *failed.ContentPayloadID != assetB ||
		failed.Message != "The content has changed: its current version is "+string(assetB)+
			". Read it and try again." {
		t.Errorf("another version: %v", err)
	}
	// A header that was read before does not stay when the next one is read.
	if err := one.UnmarshalText([]byte(`"` + string(assetC) + `"`)); err != nil || one.Check(assetA) == nil {
		t.Errorf("read again it is %s, %v", one, err)
	}
}
