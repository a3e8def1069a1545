"""Clients that try to silence or to fill the server, by the frame or by the byte. Linux only.

In reading order: `connection` (sockets that send what they like), `grpc_attacks` and `rest_attacks`
(the attacks, by name), `attacker` (one of them, in a process of its own), `server` (the process that
is attacked, which tells what its account says), `campaign` (how long another client waits, and how
much memory the server takes).
"""
