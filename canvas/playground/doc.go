// Package playground is the web page of a workbench: projects and templates, a file
// tree, an editor, the canvas and the console.
//
//	page := playground.New(group, apps, "canvas/", nil)
//	mux.Handle("/playgrounds/", http.StripPrefix("/playgrounds", page))
//	canvas.Mount(mux, "/playgrounds/canvas/", apps)
//
// The page makes no request to another host. All its URLs are relative, so it works
// below any prefix; the prefix ends with a slash.
//
// # Who is asking
//
// The page has the rights of the person that the program's middleware found, so that
// middleware stands in front of the handler. Requests that change something must come from the
// page itself: they carry a token, and a browser must say that they are same-origin. A
// SAM on a canvas can do neither.
//
// # API
//
// The page's own API is JSON below "api/". Names of files are query parameters. A
// failed request is answered with an object of code and message (see [host.Code]) and a
// fitting status.
//
//	GET    api/session                         token, and what the page needs to begin
//	GET    api/templates                       what a project can be made from
//	GET    api/projects                        ids in order, and the work project
//	POST   api/projects                        {id, template}: make one
//	DELETE api/projects/{id}                   with its data and history
//	POST   api/projects/{id}/clone             {id, state}: copy it, with KV and databases if state
//	GET    api/projects/{id}/package?state=    it as a .sam package; state=1 adds KV and databases
//	POST   api/packages?id=                    the body is a .sam package: make a project of it
//	POST   api/repos                           {id, source}: make a project of files in a repository
//	PUT    api/work                            {id}: make it the work project; "" means none
//	GET    api/projects/{id}                   its files and where its canvas is
//	GET    api/projects/{id}/file?name=        a text file, or the head of a binary one
//	PUT    api/projects/{id}/file?name=        {text, expected}: write a text file
//	GET    api/projects/{id}/raw?name=         the bytes of a file
//	PUT    api/projects/{id}/raw?name=&expected=   write them
//	POST   api/projects/{id}/edits             {edits}: write, rename, remove; all or nothing
//	GET    api/projects/{id}/search?q=&regex=&case=&glob=   lines that hold a text; see [workbench.Search]
//	POST   api/projects/{id}/reload            make open canvases load again
//	GET    api/projects/{id}/console?since=    entries of the console
//	DELETE api/projects/{id}/console           clear it
//	GET    api/projects/{id}/connect           origins that its pages may load from and talk to
//	PUT    api/projects/{id}/connect           {origins}: in place of those
//	GET    api/projects/{id}/checkpoints?before=   the newest, or those before one
//	POST   api/projects/{id}/checkpoints       {label, state}: make one
//	DELETE api/projects/{id}/checkpoints/{checkpoint}
//	POST   api/projects/{id}/restore           {checkpoint, state}; the answer is the checkpoint that undoes it
//	POST   api/projects/{id}/fork              {checkpoint, id, state}: make a project of it
//	GET    api/projects/{id}/diff?before=&after=&state=   files that differ, and with state=1 KV and tables; "" is the present
//	GET    api/projects/{id}/diff/file?name=&from=&before=&after=&part=   lines that differ; of part kv or db keys and rows
//	GET    api/roles                           work project, agent, tools, and what waits for the person
//	GET    api/roles/candidates                projects, and what their sam.json proposes
//	PUT    api/agent                           {id}: make it the agent; "" means none
//	POST   api/tools                           {project, grant}: open a project as a tool
//	POST   api/tools/{session}/grants          {grant}: add a grant to an open session
//	DELETE api/tools/{session}                 close it and revoke its rights
//	POST   api/approvals/{id}                  {allow, scope, seconds}: decide about a call that waits
//	POST   api/questions/{id}                  {text}: answer the agent
//	DELETE api/denials/{id}                    dismiss a refusal
//	POST   api/turn/undo                       {checkpoint}: take back what the agent did since
//	POST   api/turn/redo                       {checkpoint}: and take that back
//	GET    api/projects/{id}/data              names of its KV namespaces and databases
//	GET    api/projects/{id}/kv?ns=&prefix=&cursor=   a page of keys
//	GET    api/projects/{id}/kv/value?ns=&key= a value; PUT {text, data, metadata, expires, new} and DELETE change it
//	GET    api/projects/{id}/db?db=            its tables
//	POST   api/projects/{id}/db                {db, sql, args, write, plan}: run SQL; without write none that changes something
//	GET    api/projects/{id}/secrets           names
//	PUT    api/projects/{id}/secrets/{name}    {value}; nothing tells it again
//	DELETE api/projects/{id}/secrets/{name}
//	GET    api/projects/{id}/terminals/{kind}?after=   what a terminal (shell, python, javascript) prints; it waits for something new. Below it, "socket" is that as a WebSocket
//	POST   api/projects/{id}/terminals/{kind}  {do, line, columns, rows}: what a person does: enter, interrupt, end, clear, resize
//	POST   api/projects/{id}/terminals/{kind}/completions   {line}: words that may stand at its end
//	DELETE api/jobs/{job}                      end a command that runs or waits, the agent's included
//	GET    api/audit?actor=&project=&outcome=&words=&limit=   calls of the agent and of tools, the newest first
//	GET    api/events?project=                 server-sent events; see [workbench.Event]
//
// A write names the hash of the contents it expects to replace: "" if there should be
// no such file, "*" for whatever is there. If it finds others, the answer is 409 with the
// present hash and, for text, the present contents.
//
// Importing answers with a JSON value on each line: how far it is, and at last what it made
// or why it failed. Whoever hangs up before that has made nothing.
//
// [host.Code]: https://pkg.go.dev/samkit.dev/host#Code
package playground
