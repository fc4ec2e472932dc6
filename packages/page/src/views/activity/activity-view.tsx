import { say } from '../../lib/language.ts';
import { viewWords } from '../words.ts';

export function ActivityView() {
  return <h1>{say(viewWords).activity}</h1>;
}
