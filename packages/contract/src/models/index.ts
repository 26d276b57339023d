export type {
  Message,
  ModelCallOptions,
  ModelClient,
  ModelReply,
  ModelRequest,
  ModelTool,
  Part,
} from './model-client.ts';
export { isPassing, ModelError, type ModelErrorOptions, type ModelFault } from './model-error.ts';
export type { Spend } from './spend.ts';
