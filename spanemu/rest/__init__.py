"""The REST interface: Spanner's API as JSON over HTTP/1.1, like the gateway of Google's emulator.

    socket -> Connection -> Guard -> Site -> Api -> endpoint of `frontend`

It calls the same endpoints as the gRPC server, in the same process. `api.running` imports the
package only for an emulator that listens for REST.

In reading order: `routes` (every path with its RPC, as data, and how a path is found),
`json_input` and `json_output` (between JSON and messages), `scalars` and `well_known` (the values
of fields, and the messages with a JSON form of their own), `query_string` (fields in a URL), `api`
(a request answered by an endpoint), `control` (a request answered by a control operation),
`exchange` (requests and responses of HTTP as data, and who
answers which path), `statuses` (failures as HTTP), `guard` (what a browser of another site may not
do), `reading` (the bytes of a request, in bounded time and size), `connection` (the requests of one
connection), `hangups` (clients that go away), `server`, `errors`.
"""
