package auth

import "testing"

func TestIsCommonPassword(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{
		"1234567890":                 true,
		"qwertyuiop":                 true,
		"QwertyUiop":                 true,
		" playstation ":              true,
		"password123":                true,
		"correct horse battery":      false,
		"a long one that nobody has": false,
		"":                           false,
	} {
		if got := IsCommonPassword(password); got != want {
			t.Errorf("%q is common: %v, want %v", password, got, want)
		}
	}
}
