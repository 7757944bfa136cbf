package main

import (
	"github.com/spf13/cobra"

	"github.com/adconform/adconform/spec"
)

// completeFlag lets the shell complete the values of a flag.
func completeFlag(cmd *cobra.Command, flag string, words func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist
	}
}

func clauseIDs() []string    { return fromContract(idsOfClauses) }
func operationIDs() []string { return fromContract(idsOfOperations) }
func caseIDs() []string {
	return fromContract(func(c *spec.Contract) []string { return idsOfCases(everyCase(c)) })
}

func fromContract(list func(*spec.Contract) []string) []string {
	contract, err := spec.Load()
	if err != nil {
		return nil
	}
	return list(contract)
}
