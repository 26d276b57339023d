import { keepInMemory } from './keep-in-memory.ts';

export type { FixedClock } from '@waymark/contract/testing';
export { Caller, type TestRequest, ToolFailure } from './caller.ts';
export type { ScriptedAnswer, ScriptedToolCall } from './scripted-replies.ts';
export { type TestedApplication, type TestOptions, testApplication } from './test-application.ts';
export type { AskedModel, TestModel } from './test-model.ts';

// Before an application is loaded: its handlers may hold its database from then on.
keepInMemory();
