import { say } from '../../lib/language.ts';
import { viewWords } from '../words.ts';

export function PeopleView() {
  return <h1>{say(viewWords).people}</h1>;
}
