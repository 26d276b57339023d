// The application as anybody writes it, with every default on: ids, log, deadlines, guards, limits, headers.
import { createPages, createProxies, pageHandler, proxy, staticFiles, upstream } from '@waymark/pages';
import { createApplication } from '@waymark/server';
import { announce } from '../../lib/announce.ts';
import { assets, board, templates } from '../site.ts';

const [, , upstreamUrl = ''] = process.argv;
const app = createApplication('bench', { port: 0 }).add(
  createPages([pageHandler('/board', 'board', {}, board), staticFiles('/assets', assets)], { templates }),
  createProxies([
    upstream('desk', upstreamUrl),
    proxy('GET', '/desk/tickets/{id}', 'desk', { rewrite: '/v1/tickets/{id}' }),
  ]),
);
const { url } = await app.listen();
announce(url);
