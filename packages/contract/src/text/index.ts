export {
  longestNumber,
  markUnkept,
  markUnkeptPieces,
  quoteUnkept,
  unkeptNumber,
  withoutSpace,
} from './unkept-number.ts';
export { isRightToLeft, toVisible, toVisibleParts, type VisiblePart } from './visible-text.ts';
