import { say } from '../../lib/language.ts';
import { viewWords } from '../words.ts';

export function ToolsView() {
  return <h1>{say(viewWords).tools}</h1>;
}
