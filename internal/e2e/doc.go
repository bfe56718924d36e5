// Package e2e tests samkit's pages in a real browser.
package e2e
