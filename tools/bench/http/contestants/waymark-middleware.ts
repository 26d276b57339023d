// The route table as middleware of somebody's express, with every default of the door on, and the log.
import { createServer } from 'node:http';
import { createAuthenticate } from '@waymark/auth';
import { createRouteTable } from '@waymark/contract';
import { createDispatcher, createIds } from '@waymark/core-routes';
import { createDoor, createLog } from '@waymark/http';
import express from 'express';
import { announce } from '../../lib/announce.ts';
import { listening } from '../listening.ts';
import { waymarkRoutes } from './waymark-routes.ts';

const log = createLog({ level: 'info' });
const door = createDoor({
  dispatcher: createDispatcher(createRouteTable(waymarkRoutes()).freeze(), { log }),
  authenticate: createAuthenticate([], () => undefined),
  newId: createIds(),
  log,
});
const app = express();
app.use(door.middleware);
announce(await listening(createServer(app)));
