package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func networkInfos(ctx context.Context, c *client.Client) (crier.ProviderList, []crier.ProviderInfo, error) {
	list, err := c.Providers(ctx)
	if err != nil {
		return list, nil, err
	}
	infos := make([]crier.ProviderInfo, len(list.Data))
	for i, data := range list.Data {
		if infos[i], err = data.Value(); err != nil {
			return list, nil, err
		}
	}
	return list, infos, nil
}

func (s *Shell) networksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "networks [NETWORK]", Short: "List the networks and the settings that --set accepts",
		Example: "  crier networks\n  crier networks tiktok\n  crier networks --json", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.Connect(cmd.Context())
			if err != nil {
				return err
			}
			list, infos, err := networkInfos(cmd.Context(), c)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				at := slices.IndexFunc(infos, func(n crier.ProviderInfo) bool { return n.Name == network(args[0]) })
				if at < 0 {
					return usagef("there is no network %q: use %s", args[0], strings.Join(crier.ProviderX.Enum(), ", "))
				}
				list.Data, infos = list.Data[at:at+1], infos[at:at+1]
				if Interactive(s.stdout) {
					return s.Show(list, "", func(w io.Writer) { explainSettings(w, infos[0], s.width()) })
				}
			}
			return s.Show(list, "NETWORK\tSETTING\tVALUE\tMEANING", func(w io.Writer) { writeSettings(w, infos) })
		},
	}
	return completesFirst(cmd, func(context.Context) ([]cobra.Completion, error) {
		return completed(crier.Providers(), nil, func(p crier.Provider) cobra.Completion {
			return word(string(p), networkName(p))
		})
	})
}

// explainSettings prints the settings of one network in full, without shortening columns.
func explainSettings(w io.Writer, info crier.ProviderInfo, fits int) {
	if len(info.Settings) == 0 {
		fmt.Fprintf(w, "%s has no settings.\n", info.DisplayName)
	}
	for _, setting := range info.Settings {
		fmt.Fprintln(w, setting.Key)
		fmt.Fprint(w, folded("  ", strings.ReplaceAll(valuesOf(setting), "|", " | "), fits))
		fmt.Fprint(w, folded("  ", setting.Description, fits))
	}
}

func writeSettings(w io.Writer, infos []crier.ProviderInfo) {
	for _, info := range infos {
		if len(info.Settings) == 0 {
			Row(w, info.DisplayName, "–", "", "")
		}
		for _, setting := range info.Settings {
			Row(w, info.DisplayName, setting.Key, valuesOf(setting), setting.Description)
		}
	}
}

// valuesOf describes the possible values of a setting.
func valuesOf(n crier.PublishSetting) string {
	values := n.Type
	if len(n.Enum) > 0 {
		values = strings.Join(n.Enum, "|")
	}
	if n.Required {
		values += ", required"
	}
	return values
}

// settingWords completes --set with the keys of all networks, and the values of a key.
func (s *Shell) settingWords(ctx context.Context) ([]cobra.Completion, error) {
	c, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	_, infos, err := networkInfos(ctx, c)
	var list []cobra.Completion
	for _, info := range infos {
		for _, setting := range info.Settings {
			list = append(list, word(setting.Key+"=", setting.Description))
			for _, value := range setting.Enum {
				list = append(list, word(setting.Key+"="+value, setting.Description))
			}
		}
	}
	return list, err
}
