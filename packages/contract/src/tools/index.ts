export {
  type MarkedBytes,
  type MarkedContent,
  type MarkedLink,
  type MarkedResource,
  readMarker,
} from './content-markers.ts';
export { drain } from './drain.ts';
export { isTooDeep, maxJsonLevels } from './json-levels.ts';
export {
  maxToolBytes,
  type ReadAnswer,
  readAnswer,
  tooDeepAnswer,
  tooLargeAnswer,
  type WholeBody,
} from './read-answer.ts';
export {
  approvalRequired,
  refusalOverMcp,
  type ToolAnnotations,
  type ToolCall,
  toolFailure,
  toToolResult,
  unkeptAnswer,
} from './tool.ts';
