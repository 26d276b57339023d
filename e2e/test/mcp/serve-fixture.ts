import { runUntilSignal } from '@waymark/server';
import { createFixture } from '../../conformance/fixture.ts';

/** One process that serves the fixture, as `npm start` serves an application. */
const running = await createFixture().listen();
const stopped = runUntilSignal(running);
console.log(`url ${running.url}`);
await stopped;
