package canvas_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

// functions.js reaches what App.Fetch grants; OnFetch sees every call.
func ExampleFetchRecord() {
	rates := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"EUR":0.92}`)
	}))
	defer rates.Close()
	address := rates.Listener.Addr().String() // on this machine, so it is granted by its address and port

	app, err := workspace().Create(context.Background(), "rates", sam.Files{"functions.js": `export default { async fetch(request) {
		try {
			const rates = await fetch(new URL(request.url).searchParams.get("from"))
			return Response.json(await rates.json())
		} catch (e) { return new Response(e.code) }
	} }`})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app, Fetch: []string{address}}, &canvas.Options{
		OnFetch: func(r canvas.FetchRecord) { fmt.Printf("%s %s: %d %q\n", r.Project, r.Method, r.Status, r.Code) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()

	fmt.Println(body(get(h, "/api/?from=http://"+address)))
	fmt.Println(body(get(h, "/api/?from=https://api.example.com")))
	// Output:
	// rates GET: 200 ""
	// {"EUR":0.92}
	// rates GET: 0 "fetch_denied"
	// fetch_denied
}
