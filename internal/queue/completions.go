package queue

import (
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// onlyCompletes reports whether the job of an index becomes completed and changes in no other way.
func onlyCompletes(params *riverdriver.JobSetStateIfRunningManyParams, i int) bool {
	return params.State[i] == rivertype.JobStateCompleted && params.FinalizedAt[i] != nil &&
		params.Attempt[i] == nil && params.ErrData[i] == nil && !params.MetadataDoMerge[i] &&
		params.ScheduledAt[i] == nil
}

// without returns params without the jobs that are completed.
func without(params *riverdriver.JobSetStateIfRunningManyParams,
	completed []*rivertype.JobRow) *riverdriver.JobSetStateIfRunningManyParams {
	done := make(map[int64]bool, len(completed))
	for _, job := range completed {
		done[job.ID] = true
	}
	rest := &riverdriver.JobSetStateIfRunningManyParams{Now: params.Now, Schema: params.Schema}
	for i, id := range params.ID {
		if done[id] {
			continue
		}
		rest.ID = append(rest.ID, id)
		rest.Attempt = append(rest.Attempt, params.Attempt[i])
		rest.ErrData = append(rest.ErrData, params.ErrData[i])
		rest.FinalizedAt = append(rest.FinalizedAt, params.FinalizedAt[i])
		rest.MetadataDoMerge = append(rest.MetadataDoMerge, params.MetadataDoMerge[i])
		rest.MetadataUpdates = append(rest.MetadataUpdates, params.MetadataUpdates[i])
		rest.ScheduledAt = append(rest.ScheduledAt, params.ScheduledAt[i])
		rest.State = append(rest.State, params.State[i])
	}
	return rest
}
