import { WebSocket } from 'ws';

/** A WebSocket for programs on a Node.js that has none of its own, before 22. */
export const WebSocketClient: new (url: string) => WebSocket = WebSocket;
