// What generated clients are made of, for programs that are written before there is a client: they name a route by its path.
export { connectAgents } from './runtime/agent-sockets.ts';
export type { AgentClient, AgentMessage, AgentSocket } from './runtime/agent-types.ts';
export { ProblemError } from './runtime/options.ts';
export type { RunStep, RunWaiting } from './runtime/run-types.ts';
export { type SocketClientOptions, SocketError } from './runtime/socket-types.ts';
