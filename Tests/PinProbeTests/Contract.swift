import PinProbe
