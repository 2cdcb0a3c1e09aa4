import { orielExtension } from 'oriel/pi';

export default orielExtension();
