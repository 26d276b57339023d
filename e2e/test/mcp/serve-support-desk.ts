import { runUntilSignal } from '@waymark/server';
import { createSupportDesk } from './support-desk.ts';

/** The support desk as a process of its own. */
const running = await createSupportDesk().listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
