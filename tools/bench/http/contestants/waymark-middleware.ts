// The route table as middleware of somebody's express.
import { createServer } from 'node:http';
import express from 'express';
import { announce } from '../../lib/announce.ts';
import { listening } from '../listening.ts';
import { waymarkDoor } from './waymark-door.ts';

const app = express();
app.use(waymarkDoor().middleware);
announce(await listening(createServer(app)));
