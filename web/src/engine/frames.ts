// The types of received messages: replies and events.

import type { Events, Refusal, Requests } from "./types.gen";

export type Op = keyof Requests;
export type Fields<K extends Op> = Requests[K]["fields"];
export type Ok<K extends Op> = Requests[K]["ok"];

export type EventName = keyof Events;
export type EventOf<K extends EventName> = { ev: K; seq: number } & Events[K];
export type AnyEvent = { [K in EventName]: EventOf<K> }[EventName];

export type Reply = { re: number | null; ok?: unknown; err?: Refusal };
export type Incoming = { kind: "reply"; reply: Reply } | { kind: "event"; event: AnyEvent };
