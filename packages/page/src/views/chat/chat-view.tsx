import { say } from '../../lib/language.ts';
import { viewWords } from '../words.ts';

export function ChatView() {
  return <h1>{say(viewWords).chat}</h1>;
}
