// The application as anybody writes it, with every default on: ids, log, deadlines, guards, limits, headers.
import { createApplication } from '@waymark/server';
import { announce } from '../../lib/announce.ts';
import { waymarkRoutes } from './waymark-routes.ts';

const app = createApplication('bench', { port: 0 }).add(...waymarkRoutes());
// With middleware of its own an application is served from inside express.
if (process.argv[2] === 'use') app.use((_req, _res, next) => next());
const { url } = await app.listen();
announce(url);
