// Package tokens counts what it costs a model to find one of hundreds of functions, with the
// tokenizer o200k_base of github.com/tiktoken-go/tokenizer. Its module keeps the megabytes of the vocabulary out of
// the library's.
package tokens
