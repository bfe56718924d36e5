package webapi

// fetchGlobals are Headers, Request and Response.
var fetchGlobals []global
