export type { FixedClock } from '@waymark/contract/testing';
export { Caller, type TestRequest, ToolFailure } from './caller.ts';
export type { ScriptedAnswer, ScriptedToolCall } from './scripted-replies.ts';
export { type TestedApplication, type TestOptions, testApplication } from './test-application.ts';
export type { AskedModel, TestModel } from './test-model.ts';

// Applications of this process keep their state in memory, unless somebody says where.
process.env['WAYMARK_DATABASE_URL'] ??= ':memory:';
