"""The REST interface: Spanner's API as JSON over HTTP/1.1, like the gateway of Google's emulator.

    socket -> Connection -> Guard -> Site -> Api -> endpoint of `frontend`

It calls the same endpoints as the gRPC server, in the same process. `api.running` imports the
package only for an emulator that listens for REST.

In reading order: `routes` (every path with its RPC, as data, and how a path is found),
`json_texts` (texts and their values), `json_messages` (between JSON and messages), `json_values`
(the values of fields, and the messages with a JSON form of their own), `query_string` (fields in a
URL), `api` (a request answered by an endpoint), `control` (a request answered by a control
operation), `exchange` (requests, responses and failures of HTTP as data, and who answers which
path), `head` (the form of a request's head), `bodies` (the room for large bodies), `connection`
(the requests of one connection, read in bounded time and size), `hangups` (clients that go away),
`server` (the port, and what a browser of another site may not do), `errors`.
"""
