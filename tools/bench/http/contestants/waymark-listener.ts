// The door as the listener of a server of one's own: the fast form where nothing of express stands in front.
import { createServer } from 'node:http';
import { announce } from '../../lib/announce.ts';
import { listening } from '../listening.ts';
import { waymarkDoor } from './waymark-door.ts';

announce(await listening(createServer(waymarkDoor().listener())));
