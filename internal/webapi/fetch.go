package webapi

// fetchGlobals are the classes of the Fetch standard. fetch itself belongs to
// whoever grants the network.
var fetchGlobals = []global{
	class("Headers", (*Realm).headersClass),
	class("Request", (*Realm).requestClass),
	class("Response", (*Realm).responseClass),
}
