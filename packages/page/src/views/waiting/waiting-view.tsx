import { say } from '../../lib/language.ts';
import { viewWords } from '../words.ts';

export function WaitingView() {
  return <h1>{say(viewWords).waiting}</h1>;
}
