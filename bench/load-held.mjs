// What the server of `load` held before, during and after.
import { held } from './load.mjs';

export const rows = () => held;
