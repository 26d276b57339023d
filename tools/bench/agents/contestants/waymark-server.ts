// The application behind its own server: `POST /agents/clerk`.
import { join } from 'node:path';
import { announce } from '../../lib/announce.ts';
import { deskApplication } from './desk.ts';

const [, , modelsUrl = '', folder = ''] = process.argv;
const { url } = await deskApplication(modelsUrl, `sqlite://${join(folder, 'waymark-server.db')}`).listen();
announce(url);
