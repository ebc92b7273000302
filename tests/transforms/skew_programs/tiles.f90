subroutine steps(a, b, n, nt)
  implicit none
  integer(4), intent(in) :: n
  real(4), intent(inout) :: a(n, n)
  real(4), intent(inout) :: b(n, n)
  integer(4), intent(in) :: nt
  integer(4) :: i
  integer(4) :: j
  integer(4) :: t
  block
    integer(8) :: count
    integer(8) :: t0
    integer(8) :: t_1
    integer(8) :: steps
    integer(8) :: bytes
    integer(8) :: flat
    integer(8) :: per_row
    integer(8) :: launches
    integer(8) :: base
    integer(8) :: extent
    integer(8) :: tiles
    integer(8) :: tile_rows
    integer(8) :: band_rows
    integer(8) :: phase
    logical(4) :: skewed
    integer(8) :: count1
    skewed = .false.
    count1 = max(int(nt, 8), 0_8)
    count = count1
    if (count > 0_8) then
      bytes = size(a)*4_8 + size(b)*4_8
      flat = 0_8
      per_row = (size(a)*4_8/max(int(size(a, 2), 8), 1_8)) + (size(b)*4_8/max(int(size(b, 2), 8), 1_8))
      if (bytes > 131072_8) then
        skewed = .true.
        base = 2_8
        extent = n - 1 - base + 1_8
        steps = max(min(max(min(((786432_8 - flat)/max(per_row, 1_8) - 8_8)/2_8, 32_8), 4_8), extent/8_8), 1_8)
        skewed = extent >= 8_8
      end if
    end if
    if (skewed) then
      t0 = 0_8
      do while (t0 < count)
        launches = 0_8
        !$polystencil host
        do t_1 = t0, min(t0 + steps, count) - 1_8
          t = t_1 + 1_8
          launches = launches + 1_8
          launches = launches + 1_8
        end do
        tiles = max(min(2_8, extent/max(2_8*launches, 1_8)), 1_8)
        tile_rows = extent/tiles
        band_rows = max(((786432_8 - flat)/max(per_row, 1_8)) - launches, 8_8)
        do phase = 0_8, 1_8
          !$polystencil tile
          block
            integer(8) :: tile
            do concurrent (tile = 0_8:tiles - 1_8 - phase)
              block
                integer(8) :: low
                integer(8) :: high
                integer(8) :: band
                integer(8) :: bands
                integer(8) :: launch
                integer(8) :: group
                integer(4) :: t
                low = base + (tile + phase)*tile_rows
                high = low + (1_8 - phase)*tile_rows - 1_8
                if (phase == 1_8) then
                  bands = 0_8
                else if (tile == tiles - 1_8) then
                  bands = max((base + extent - low - 1_8)/band_rows, 0_8)
                else
                  bands = max((tile_rows - 1_8)/band_rows, 0_8)
                end if
                do band = 0_8, bands
                  launch = 0_8
                  do group = t0, min(t0 + steps, count) - 1_8
                    t = group + 1_8
                    block
                      integer(8) :: first_row
                      integer(8) :: last_row
                      first_row = 2_8
                      last_row = n - 1
                      if (phase == 1_8 .or. tile > 0_8) then
                        first_row = max(first_row, low + (1_8 - phase*2_8)*launch)
                      end if
                      if (phase == 1_8 .or. tile < tiles - 1_8) then
                        last_row = min(last_row, high - (1_8 - phase*2_8)*launch)
                      end if
                      if (band > 0_8) then
                        first_row = max(first_row, low + band*band_rows - launch)
                      end if
                      if (band < bands) then
                        last_row = min(last_row, low + band*band_rows + band_rows - launch - 1_8)
                      end if
                      if (first_row <= last_row) then
                        !$polystencil in order
                        do concurrent (j = int(first_row, 4):int(last_row, 4), i = 2:n - 1)
                          b(i, j) = 0.25_4*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
                        end do
                      end if
                      launch = launch + 1_8
                    end block
                    block
                      integer(8) :: first_row
                      integer(8) :: last_row
                      first_row = 2_8
                      last_row = n - 1
                      if (phase == 1_8 .or. tile > 0_8) then
                        first_row = max(first_row, low + (1_8 - phase*2_8)*launch)
                      end if
                      if (phase == 1_8 .or. tile < tiles - 1_8) then
                        last_row = min(last_row, high - (1_8 - phase*2_8)*launch)
                      end if
                      if (band > 0_8) then
                        first_row = max(first_row, low + band*band_rows - launch)
                      end if
                      if (band < bands) then
                        last_row = min(last_row, low + band*band_rows + band_rows - launch - 1_8)
                      end if
                      if (first_row <= last_row) then
                        !$polystencil in order
                        do concurrent (j = int(first_row, 4):int(last_row, 4), i = 2:n - 1)
                          a(i, j) = b(i, j)
                        end do
                      end if
                      launch = launch + 1_8
                    end block
                  end do
                end do
              end block
            end do
          end block
        end do
        t0 = t0 + steps
      end do
      t = nt + 1
    else
      do t = 1, nt
        do concurrent (j = 2:n - 1, i = 2:n - 1)
          b(i, j) = 0.25_4*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
        end do
        do concurrent (j = 2:n - 1, i = 2:n - 1)
          a(i, j) = b(i, j)
        end do
      end do
    end if
  end block
end subroutine steps
