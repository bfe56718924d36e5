package workers

import (
	"errors"
	"fmt"

	"samkit.dev/sam"
)

// limitCodes are what JavaScript reads as error.code, by the limits of
// packages sam and sqlshim.
var limitCodes = map[string]string{
	"StateBytes": "limit_state_bytes", "KVBytes": "limit_kv_bytes", "KVKeys": "limit_kv_keys",
	"MaxBytes": "limit_db_bytes", "MaxMemory": "limit_db_memory", "MaxResult": "limit_db_result", "Timeout": "limit_db_time",
	"RowsRead": "limit_rows_read", "RowsWritten": "limit_rows_written",
}

// limitProps are the properties of an error that is about a limit, or nil.
func limitProps(err error) map[string]any {
	var limit *sam.LimitError
	if !errors.As(err, &limit) || limitCodes[limit.Limit] == "" {
		return nil
	}
	return map[string]any{"code": limitCodes[limit.Limit]}
}

// limitText says which limit of a project err is about, without the key.
func limitText(err error) string {
	var limit *sam.LimitError
	if !errors.As(err, &limit) {
		return ""
	}
	return fmt.Sprintf("This project is over its limit %s of %d.", limit.Limit, limit.Max)
}
