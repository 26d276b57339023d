// A hub as it is written with socket.io: one event, its header and its bytes.
import { Server } from 'socket.io';
import { listening } from '../../http/listening.ts';
import { announce } from '../../lib/announce.ts';
import { frameServer } from '../contestants/frame-server.ts';

const server = frameServer(({ header, bytes }) => void io.emit('frame', JSON.parse(header), bytes));
const io = new Server(server, { serveClient: false, transports: ['websocket'] });
announce(await listening(server));
