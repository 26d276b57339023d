// The application as anybody writes it, with every default on: ids, log, deadlines, guards, limits, headers, tags.
import { createApplication } from '@waymark/server';
import { announce } from '../../lib/announce.ts';
import { ticketFields } from '../tickets.ts';

const [, , file] = process.argv;
const app = createApplication('bench', { port: 0, database: `sqlite://${file}` });
app.resource('tickets', ticketFields);
const { url } = await app.listen();
announce(url);
