SELEC name FROM operators WHERE (((
