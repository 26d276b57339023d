import type { InputShape, Json, Values } from '@waymark/contract';
import type { Call, RouteResponse } from '@waymark/contract/engine';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '@waymark/contract/testing';
import {
  type AgentsDeclaration,
  type BehaviourContext,
  type BehaviourOptions,
  behaviour,
} from '../src/index.ts';
import { type Desk, openDesk } from './desk/open-desk.ts';
import { openTools, type Tools } from './desk/tools.ts';

/** A behaviour `tidy` at work beside the tools of the desk. */
export interface BehaviourDesk extends Desk {
  readonly models: ScriptedModel;
  readonly tools: Tools;
  /** Runs it. */
  start(input?: Values, more?: Partial<Call>): Promise<RouteResponse>;
  /** The same, and the value that it answers. */
  value(input?: Values, more?: Partial<Call>): Promise<Json>;
}

/** What is at hand besides the function. */
export interface BehaviourStage {
  readonly options?: BehaviourOptions<InputShape | undefined>;
  readonly replies?: readonly ScriptedReply[];
  readonly others?: readonly AgentsDeclaration[];
}

export const everyTool = ['look', 'write', 'mail', 'pay', 'fee', 'secret'];

/** Opens a desk where the function may do all that the tools of the desk do. */
export async function openBehaviour(
  body: (ctx: BehaviourContext, input: Values) => unknown,
  { options = {}, replies = [], others = [] }: BehaviourStage = {},
): Promise<BehaviourDesk> {
  const models = scriptedModel(replies);
  const tools = openTools();
  const given = { tools: everyTool, scopes: ['read', 'write'], exposeScopes: [], ...options };
  const desk = await openDesk([behaviour('tidy', given, body as never), ...others], models, tools);
  const start: BehaviourDesk['start'] = (input = {}, more) => desk.ask('tidy', input, more);
  return {
    ...{ ...desk, models, tools, start },
    async value(input, more) {
      const { status, body: answer } = await start(input, more);
      if (answer.kind !== 'json') throw new Error(`${status}: ${JSON.stringify(answer)}`);
      return JSON.parse(answer.text) as Json;
    },
  };
}
